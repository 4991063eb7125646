#!/usr/bin/env bash
# Gives the modules a path of your own, so that others can import your fork:
#
#   ./fork.sh github.com/you/dejavu
#
# It renames the path in the go.mod of every module, in imports and in the documents. Names that services and files on disk go by (metrics, topics, keys, the call path) stay as they are. It
# needs Go, but no network, and may be run again with another path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export LC_ALL=C

fail() {
  printf 'fork.sh: %s\n' "$*" >&2
  exit 1
}

old=$(sed -n 's/^module //p' go.mod)
new=${1-}
[[ $# == 1 && $new =~ ^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$ ]] || fail "want one module path, such as github.com/you/dejavu, not '$*'"
[[ ! $new =~ /v[0-9]+$ ]] || fail "$new ends with a major version; a path without one is wanted"
[[ ${#new} -le 80 ]] || fail "$new has ${#new} characters, want at most 80"
[[ $new != "$old" ]] || fail "the path is $old already"
case $new in
  */*) ;;
  *) fail "$new has no slash; a path that others can get starts with a host, such as github.com/you/dejavu" ;;
esac

was=${old//./\\.}
edit() { # of each file, where it changes, the text; its mode stays
  local script=$1 file
  shift
  for file; do
    sed -E "$script" "$file" >"$tmp"
    cmp -s "$tmp" "$file" || { cat "$tmp" >"$file" && changed=$((changed + 1)); }
  done
}
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
changed=0

files() { find . \( -path ./.git -o -path ./out \) -prune -o -type f \( "$@" \) -print; }
go_files=() documents=() modules=()
while IFS= read -r file; do go_files+=("$file"); done < <(files -name '*.go')
while IFS= read -r file; do documents+=("$file"); done < <(files -name '*.md')
while IFS= read -r file; do modules+=("$file"); done < <(files -name go.mod -o -name tools.mod)

# An import has a line of its own, in Go and in the blocks of documents.
import="s#^(import |	)([A-Za-z0-9_.]+ )?\"$was(/[^\"]*)?\"\$#\\1\\2\"$new\\3\"#"
listed="s#(go list -m -f \\{\\{\\.Dir\\}\\} )$was\\)#\\1$new)#"
edit "$import; $listed" "${go_files[@]}"
edit "$listed
  s#\"$was(/|\")#\"$new\1#g
  s#(require |replace |-replace )$was( |=)#\\1$new\\2#g" "${documents[@]}"
edit "s#^(module )$was(/.*)?\$#\\1$new\\2#
  s#^((require |replace |	)*)$was(/[a-z]+)? (v|=>)#\\1$new\\3 \\4#" "${modules[@]}"

# Imports and requirements are sorted by their paths.
gofmt -w "${go_files[@]}"
for file in "${modules[@]}"; do go mod edit -fmt "$file"; done

printf 'Renamed %s to %s in %d files. Check it with:\n\n' "$old" "$new" "$changed"
printf '    go build ./... && go test . ./internal/house && go build -C live ./...\n'
