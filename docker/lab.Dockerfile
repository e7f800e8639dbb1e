# The lab: the gateway's image and, beside it, the offline world, built once and baked in: a container
# starts as warm as a second `make lab`. Each of its containers runs one command of the CLI.
# Build from the repository's root: docker build -f docker/lab.Dockerfile -t forkyard-lab .
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
ENV FORKYARD_CACHE_DIR=/image/var/cache/forkyard
COPY package.json package-lock.json .npmrc ./
# No scripts: nothing is compiled, and the npm package of Node is left without its binary.
RUN npm ci --ignore-scripts --loglevel=error
COPY contracts contracts
COPY fixtures fixtures
# What the world is built with besides: the chains' rows and where modules and anvil stand.
COPY simulator simulator
COPY gateway/chain gateway/chain
COPY gateway/config gateway/config
COPY gateway/runtime gateway/runtime
# Made of these alone: a change of the gateway leaves it as it is.
RUN node fixtures/buildWorld.ts
COPY gateway gateway
# What a lab in one container begins with.
RUN node fixtures/buildWorldPools.ts
COPY docs docs
COPY docker/collect.mjs docker/prune.mjs docker/keepWorldSources.mjs docker/
RUN node docker/keepWorldSources.mjs /kept \
    && npm prune --omit=dev --ignore-scripts --loglevel=error \
    && cp -r /kept/. node_modules/ \
    && node docker/prune.mjs lab \
    && mkdir -p /image/forkyard /image/var/lib/forkyard/lab /image/etc \
    && node fixtures/package/sbom.ts /kept > /image/forkyard/sbom.cdx.json \
    && mv package.json node_modules contracts docs fixtures simulator gateway /image/forkyard/ \
    && node docker/collect.mjs /image node \
    && find /image/forkyard/node_modules \( -name '*.node' -o -path '*/bin/anvil' \) \
        -exec node docker/collect.mjs /image {} \; \
    && echo 'forkyard:x:1000:1000::/tmp:/none' > /image/etc/passwd \
    && chown -R 1000:1000 /image/var/cache/forkyard /image/var/lib/forkyard

FROM scratch
COPY --from=build /image /
WORKDIR /forkyard
ENV FORKYARD_CACHE_DIR=/var/cache/forkyard \
    FORKYARD_LAB_DIR=/var/lib/forkyard/lab \
    HOME=/tmp \
    PATH=/usr/local/bin \
    NO_COLOR=1
USER 1000:1000
ENTRYPOINT ["node", "gateway/cli.ts"]
CMD ["lab"]
