# One anvil and what it links to, nothing else: no shell, no package manager, no user that could log in.
# Build from the repository's root: docker build -f docker/anvil.Dockerfile -t forkyard-anvil .
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The version of the lockfile, checked against its hash; the gateway's image begins with the same layers.
RUN npm ci --omit=dev --ignore-scripts --loglevel=error
COPY docker/collect.mjs docker/
COPY fixtures/package/sbom.ts fixtures/package/readBom.ts fixtures/package/supplyChain.ts fixtures/package/
RUN mkdir /image && node docker/collect.mjs /image anvil \
    && node fixtures/package/sbom.ts --of @foundry-rs/anvil > /image/sbom.cdx.json

FROM scratch
COPY --from=build /image /
ENV HOME=/tmp ANVIL_IP_ADDR=0.0.0.0
USER 65532:65532
EXPOSE 8545
ENTRYPOINT ["/anvil"]
