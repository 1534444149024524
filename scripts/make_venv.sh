#!/usr/bin/env bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Make the virtual environment with the first Python that is new enough.
# Usage: make_venv.sh FOLDER        (PYTHON=... names a certain one)
set -euo pipefail
folder=$1

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    # 3.11 to 3.13 first: constraints.txt was made and tried there.
    for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3 python3.14 python}; do
        if command -v "$candidate" >/dev/null && is_new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    echo "No Python 3.11 or newer found${PYTHON:+ (PYTHON=$PYTHON)}: install python3.11 or newer," \
        "or name one with PYTHON=path" >&2
    return 1
}

python=$(find_python)

# Debian and Ubuntu keep pip for new environments in a package of its own.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends "python$version-venv" >/dev/null
    else
        echo "$python cannot make virtual environments: install python$version-venv" \
            "(sudo apt-get install python$version-venv), then run make again" >&2
        exit 1
    fi
fi

echo "Making $folder with $("$python" --version)"
# half an environment would be taken for a whole one
trap 'rm -rf "$folder"' ERR INT TERM
rm -rf "$folder"
"$python" -m venv "$folder"
