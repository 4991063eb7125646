# The reference run, built with the reference's Go; go.sum pins every module. It ends by comparing itself with the
# committed rows and verdicts:
#
#   docker build -t dejavu . && docker run --rm -v "$PWD/out:/out" dejavu          # ten million users, 10 GB
#   docker run --rm -v "$PWD/out:/out" dejavu run --users 20000 --out /out         # half a minute
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY . .
RUN GOTOOLCHAIN=local CGO_ENABLED=0 go build -trimpath -mod=readonly -o /experiments ./experiments

FROM scratch
COPY --from=build /experiments /experiments
ENTRYPOINT ["/experiments"]
CMD ["run", "--users", "10000000", "--seed", "2016", "--out", "/out"]
