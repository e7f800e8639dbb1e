# PostgreSQL's own programs and forkyard, which keeps copies of a database with them: `forkyard backups keep`.
# Build after the gateway's image, from the repository's root:
#   docker build --build-arg GATEWAY_IMAGE=forkyard -f docker/backups.Dockerfile -t forkyard-backups .
ARG GATEWAY_IMAGE=forkyard
ARG POSTGRES_IMAGE=postgres:15-bookworm
FROM ${GATEWAY_IMAGE} AS gateway

# Of the same Debian: what Node is linked against is there.
FROM ${POSTGRES_IMAGE}
COPY --from=gateway /usr/local/bin/node /usr/local/bin/node
COPY --from=gateway /forkyard /forkyard
COPY docker/debianBill.sh /tmp/
RUN sh /tmp/debianBill.sh > /usr/share/debian.cdx.json && rm /tmp/debianBill.sh \
    && echo 'forkyard:x:1000:1000::/tmp:/none' >> /etc/passwd \
    && mkdir -p /var/backups/forkyard && chown 1000:1000 /var/backups/forkyard
WORKDIR /forkyard
ENV HOME=/tmp NO_COLOR=1
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "gateway/cli.ts"]
CMD ["backups", "keep", "/var/backups/forkyard"]
