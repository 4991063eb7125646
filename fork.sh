#!/usr/bin/env bash
# Gives the modules a path of your own, so that others can import your fork:
#
#   ./fork.sh github.com/you/dejavu
#
# It renames the path in go.mod files, imports and documents, and may be run again with another path. Names that services and
# files on disk go by (metrics, topics, keys, the call path) stay.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

old=$(sed -n 's/^module //p' go.mod) new=${1-}
[[ $# == 1 && $new != "$old" && $new =~ ^[A-Za-z0-9.-]+(/[A-Za-z0-9._~-]+)+$ && ! $new =~ (/v[0-9]+|/[.]+.*)$ ]] || {
  echo "fork.sh: want one module path of a host and a name, without a version, such as github.com/you/dejavu, not '$*'" >&2
  exit 1
}
was=${old//./\\.}
edit() { # the files of a name, by a script of sed
  find . \( -path ./.git -o -path ./out \) -prune -o -type f -name "$1" -exec sed -E -i.before "$2" {} +
}
listed="s#(go list -m -f \\{\\{\\.Dir\\}\\} )$was\\)#\\1$new)#"
edit '*.go' "s#^(import |	)([A-Za-z0-9_.]+ )?\"$was(/[^\"]*)?\"\$#\\1\\2\"$new\\3\"#; $listed"
edit '*.md' "$listed; s#\"$was(/|\")#\"$new\1#g; s#(require |replace |-replace )$was( |=)#\\1$new\\2#g"
edit '*.mod' "s#^(module )$was(/.*)?\$#\\1$new\\2#; s#^((require |replace |	)*)$was(/[a-z]+)? (v|=>)#\\1$new\\3 \\4#"
find . -name '*.before' -delete
find . \( -path ./.git -o -path ./out \) -prune -o -name '*.go' -exec gofmt -w {} + # imports are sorted by their paths
echo "Renamed $old to $new. Check it with: go build ./... && go test . ./internal/house && go build -C live ./..."
