#!/bin/sh
# Installs the compilers and tools that the tests need and this system lacks. Where it may not, it says what to run, and fails.
set -eu

lacking() {
    for tool in gcc g++ clang gfortran cmake cppcheck; do
        command -v "$tool" >/dev/null 2>&1 || printf ' %s' "$tool" # the package is called like the command
    done
    command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1 || printf ' gcc-mingw-w64-x86-64-win32' # builds for Windows
    command -v ninja >/dev/null 2>&1 || printf ' ninja-build'
    command -v node >/dev/null 2>&1 || printf ' nodejs'
    command -v chromium >/dev/null 2>&1 || printf ' chromium' # looks at pages
    command -v arm-none-eabi-gcc >/dev/null 2>&1 || printf ' gcc-arm-none-eabi'
    has_library arm-none-eabi-gcc libm.a || printf ' libnewlib-arm-none-eabi'
    has_library clang "libclang_rt.asan-$(uname -m).a" || printf ' libclang-rt-dev' # its sanitizers
}

has_library() { # of a library that it lacks, a compiler repeats the name
    case "$("$1" -print-file-name="$2" 2>/dev/null)" in
        */*) ;;
        *) return 1 ;;
    esac
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
