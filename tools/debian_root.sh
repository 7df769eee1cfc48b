# shellcheck shell=bash
# Whole Debian systems in folders, made by debootstrap and entered with chroot. To be sourced, after steps.sh.

# The mirror this machine already uses for Debian, so that no new one is burdened.
mirror() {
  local found
  found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -oE '^(deb|URIs:).*' | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1 | tr -d ' ') || true
  echo "${found:-http://deb.debian.org/debian}"
}

# A minimal Debian of this suite in FOLDER, kept for the next caller: pristine_system SUITE FOLDER.
pristine_system() {
  local suite=$1 folder=$2
  if [[ -d $folder ]]; then return; fi
  step "$suite: debootstrap from $(mirror)"
  rm -rf --one-file-system "$folder.partial"
  logged debootstrap --variant=minbase "$suite" "$folder.partial" "$(mirror)"
  mv "$folder.partial" "$folder"
}

# A copy of such a system that finds the mirror by name: copy_system PRISTINE ROOT.
copy_system() {
  rm -rf --one-file-system "$2"
  cp -a --reflink=auto "$1" "$2"
  cp --remove-destination "$(readlink -f /etc/resolv.conf)" "$2/etc/resolv.conf"
}

# Runs COMMAND in FOLDER of ROOT, with private mounts and processes that end with it: inside ROOT FOLDER COMMAND...
inside() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork --kill-child=KILL --propagation private bash -euc '
    root=$1 folder=$2; shift 2
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount --rbind /sys "$root/sys"
    exec chroot "$root" env -i --chdir="$folder" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME=/root USER=root SHELL=/bin/bash TERM=dumb "$@"
  ' bash "$@"
}
