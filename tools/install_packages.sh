# shellcheck shell=bash
# Packages of Debian 12, 13 and Ubuntu 22.04, 24.04, 26.04: the same names on all of them. To be sourced.

# What configuring, building and running needs, and what the tests and the lab need besides.
# shellcheck disable=SC2034  # read by the scripts that source this file
build_packages=(g++ cmake ninja-build pkg-config libopenmpi-dev openmpi-bin libhwloc-dev libcxxopts-dev
  libfmt-dev nlohmann-json3-dev libuv1-dev libxxhash-dev libpmix-dev openssh-client)
# shellcheck disable=SC2034
test_packages=(libgtest-dev libgmock-dev)
# openssh-server, docker.io, munge and slurm-wlm start services when they are installed, so only --lab and CI ask for
# them. debootstrap makes the hosts with Open MPI 5.
# shellcheck disable=SC2034
lab_packages=(debootstrap docker.io iproute2 munge nftables openssh-server perl-base procps slurm-wlm util-linux)

# Prints those of the named packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# Installs what is missing of the named packages; asks apt for nothing where all are here.
install_packages() {
  local missing
  if ! type -P apt-get dpkg-query >/dev/null; then
    step "no apt here: taking for granted the equivalents of $*"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    step "packages: all $# are installed"
    return
  fi

  # sudo drops the environment, so the settings travel as arguments of env.
  local as_root=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l)
  if ((EUID != 0)); then
    # A password is asked for here, where the question is seen, and not behind the log.
    if ! type -P sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
      echo "Packages are missing, and installing needs root. Have this run by root, then start $0 again:" >&2
      echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo "${as_root[@]}")
  fi
  step "installing ${#missing[@]} packages: ${missing[*]}"
  logged "${as_root[@]}" apt-get -q update
  logged "${as_root[@]}" apt-get -q -y --no-install-recommends \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install "${missing[@]}"
}
