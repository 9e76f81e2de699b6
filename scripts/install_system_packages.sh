#!/bin/sh
# Installs missing programs for the tests with apt. If that is not possible, prints the command and fails.
# Usage: install_system_packages.sh test | test-all      (the name of the Makefile's target)
set -eu

lacking() {
    commands="gcc"
    if [ "$target" = test-all ]; then commands="gcc g++ clang gfortran cmake cppcheck"; fi
    for command in $commands; do
        command -v "$command" >/dev/null 2>&1 || printf ' %s' "$command" # the package has the command's name
    done
    if [ "$target" = test ]; then return; fi
    command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1 || printf ' gcc-mingw-w64-x86-64-win32' # builds for Windows
    command -v ninja >/dev/null 2>&1 || printf ' ninja-build'
    command -v octave-cli >/dev/null 2>&1 || printf ' octave'
    command -v mkoctfile >/dev/null 2>&1 || printf ' octave-dev' # builds MEX functions
    command -v cargo >/dev/null 2>&1 || printf ' cargo'
    command -v cargo-fmt >/dev/null 2>&1 || printf ' rustfmt'
    command -v cargo-clippy >/dev/null 2>&1 || printf ' rust-clippy'
    command -v node >/dev/null 2>&1 || printf ' nodejs'
    command -v chromium >/dev/null 2>&1 || printf ' chromium' # renders pages
    command -v arm-none-eabi-gcc >/dev/null 2>&1 || printf ' gcc-arm-none-eabi'
    command -v qemu-arm >/dev/null 2>&1 || printf ' qemu-user' # counts instructions
    [ -e /usr/include/ceres/jet.h ] || printf ' libceres-dev' # dual numbers
    has_library arm-none-eabi-gcc libm.a || printf ' libnewlib-arm-none-eabi'
    has_library clang "libclang_rt.asan-$(uname -m).a" || printf ' libclang-rt-dev' # clang's sanitizers
}

has_library() { # for a missing library, a compiler prints only its name
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
    apt_get update || return 1
    # shellcheck disable=SC2046 # one word per package
    apt_get install -y --no-install-recommends $(choose_rust "$@")
}

choose_rust() { # Debian 12 has Rust 1.63 and, in packages of other names, a newer one
    if ! apt-cache show cargo-web >/dev/null 2>&1; then echo "$@" && return; fi
    for package in "$@"; do
        case "$package" in
            cargo | rustfmt) echo "$package-web" ;;
            rust-clippy) echo rust-web-clippy ;;
            *) echo "$package" ;;
        esac
    done
}

apt_get() { # apt waits for dpkg's lock, but fails at once if another apt has locked the package lists
    until=$(($(date +%s) + 600))
    while ! output=$($as_root LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" 2>&1); do
        case "$output" in
            *"Could not get lock"*) if [ "$(date +%s)" -lt "$until" ]; then sleep 2 && continue; fi ;;
        esac
        echo "$output" >&2
        return 1
    done
}

target=${1-}
case "$target" in
    test | test-all) ;;
    *) echo "Usage: $0 test | test-all" >&2 && exit 2 ;;
esac

packages=$(lacking)
if [ -z "$packages" ]; then exit 0; fi

# shellcheck disable=SC2086 # one word per package
install $packages || true

packages=$(lacking)
if [ -n "$packages" ]; then
    echo "\`make $target\` requires programs that are not installed:$packages" >&2
    echo "Install it with: sudo apt-get update && sudo apt-get install$packages" >&2
    exit 1
fi
