# Stands in for prom/prometheus where no registry can be reached; for tests. Debian's own build, laid out as
# the public image is: same entry point, paths and user.
FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends prometheus >/dev/null \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /prometheus && chown nobody:nogroup /prometheus
USER nobody
EXPOSE 9090
ENTRYPOINT ["/usr/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
