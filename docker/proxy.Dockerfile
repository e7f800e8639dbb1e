# The reverse proxy before the three services. Build: docker build -f docker/proxy.Dockerfile -t forkyard-proxy .
ARG DEBIAN_IMAGE=debian:bookworm-slim
FROM ${DEBIAN_IMAGE}
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends nginx-light libnginx-mod-stream >/dev/null \
    && rm -rf /var/lib/apt/lists/* /var/log/nginx/* /etc/nginx/sites-enabled \
    && ln -sf /dev/stdout /var/log/nginx/access.log && ln -sf /dev/stderr /var/log/nginx/error.log
COPY docker/debianBill.sh /tmp/
RUN sh /tmp/debianBill.sh > /usr/share/debian.cdx.json && rm /tmp/debianBill.sh
COPY docker/proxy/ /etc/nginx/
USER 1000:1000
EXPOSE 8080 8443
# What is being answered is answered before it ends.
STOPSIGNAL SIGQUIT
HEALTHCHECK --interval=5s --timeout=10s --start-period=10s --retries=6 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q 200 <&3"]
CMD ["nginx", "-g", "daemon off;"]
