#!/bin/sh
# Installs the compilers that the tests need and this system lacks. Where it may not, it says what to run, and fails.
set -eu

lacking() {
    for compiler in gcc g++ clang gfortran; do
        command -v "$compiler" >/dev/null 2>&1 || printf ' %s' "$compiler" # the package is called like the command
    done
}

install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" -eq 0 ]; then as_root=env; else as_root='sudo -n env'; fi
    $as_root true 2>/dev/null || return 1
    echo "Installing with apt:$packages"
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
        $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"
}

packages=$(lacking)
if [ -z "$packages" ]; then exit 0; fi

# shellcheck disable=SC2086 # one word a package
install $packages || true

packages=$(lacking)
if [ -n "$packages" ]; then
    echo "The tests need what this system lacks:$packages" >&2
    echo "Install it with: sudo apt-get update && sudo apt-get install$packages" >&2
    exit 1
fi
