#!/usr/bin/env bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Find the system libraries and programs that are missing. As root on Debian or Ubuntu they are
# installed; otherwise their names are printed. Usage: system_packages.sh run|test
#
# Exit status: 0 when all is there, 1 when something is still missing. That is no reason to stop:
# the program says what it lacks when it starts, and tests that need a screen are skipped.
set -euo pipefail
purpose=$1
HOME=${HOME:-/root}

# What is looked for, and the package that has it. Qt's own wheel has the rest.
run_libraries='
libEGL.so.1            libegl1
libGL.so.1             libgl1
libglib-2.0.so.0       libglib2.0-0
libdbus-1.so.3         libdbus-1-3
libfontconfig.so.1     libfontconfig1
libxkbcommon.so.0      libxkbcommon0
libxkbcommon-x11.so.0  libxkbcommon-x11-0
libX11-xcb.so.1        libx11-xcb1
libxcb-cursor.so.0     libxcb-cursor0
libxcb-icccm.so.4      libxcb-icccm4
libxcb-image.so.0      libxcb-image0
libxcb-keysyms.so.1    libxcb-keysyms1
libxcb-randr.so.0      libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0      libxcb-shape0
libxcb-sync.so.1       libxcb-sync1
libxcb-xfixes.so.0     libxcb-xfixes0
libxcb-xkb.so.1        libxcb-xkb1
'
test_programs='
Xvfb     xvfb
xauth    xauth
xdotool  xdotool
openbox  openbox
'

[ "$(uname -s)" = Linux ] || exit 0

known_libraries=$( (PATH="$PATH:/sbin:/usr/sbin"; ldconfig -p) 2>/dev/null || true)
if [ -z "$known_libraries" ]; then
    echo "ldconfig is missing, so the system libraries of Qt were not checked." >&2
    exit 0
fi

missing=()
while read -r library package; do
    [ -z "$library" ] || grep -qF "$library " <<<"$known_libraries" || missing+=("$package")
done <<<"$run_libraries"
# Qt brings no fonts: without any, all text is boxes.
font_folders=(/usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" "$HOME/.local/share/fonts")
has_font() {
    [ -n "$(find "${font_folders[@]}" -iname "$1" -print -quit 2>/dev/null || true)" ]
}
has_font '*.[to]t[fc]' || missing+=(fonts-dejavu-core)
if [ "$purpose" = test ]; then
    # pictures of Chinese and Japanese chunks in tables and lists
    has_font '*CJK*' || has_font '*fallback*' || missing+=(fonts-droid-fallback)
    while read -r program package; do
        [ -z "$program" ] || command -v "$program" >/dev/null || missing+=("$package")
    done <<<"$test_programs"
fi

[ ${#missing[@]} -gt 0 ] || exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "Installing system packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq &&
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
        exit 0
    fi
    echo "apt-get could not install all of: ${missing[*]}" >&2
    exit 1
fi
if [ "$purpose" = test ]; then
    echo "Missing, so the tests that need a screen are skipped: ${missing[*]}" >&2
else
    echo "Missing system packages: ${missing[*]}" >&2
    echo "The window may not open without them. Install them:" >&2
fi
command -v apt-get >/dev/null &&
    echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
exit 1
