# The experiments program alone, built with the reference's Go:
#
#   docker build -t dejavu . && docker run -v "$PWD/out:/out" dejavu run --out /out
FROM golang:1.26.8 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /experiments ./experiments

FROM gcr.io/distroless/static
COPY --from=build /experiments /experiments
ENTRYPOINT ["/experiments"]
