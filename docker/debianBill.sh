#!/bin/sh
# Prints Debian's packages that are installed where it runs, as a bill of materials in CycloneDX.
set -e
dpkg-query -W -f '${db:Status-Status} ${Package} ${Version} ${Architecture}\n' | awk '
  function escape(text) { gsub(/%/, "%25", text); gsub(/\+/, "%2B", text); gsub(/:/, "%3A", text); return text }
  BEGIN { printf "{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.5\",\"version\":1,\"components\":[" }
  $1 == "installed" {
    url = "pkg:deb/debian/" escape($2) "@" escape($3) "?arch=" $4
    printf "%s\n{\"bom-ref\":\"%s\",\"type\":\"library\",\"name\":\"%s\",\"version\":\"%s\",\"purl\":\"%s\"}", comma, url, $2, $3, url
    comma = ","
  }
  END { print "\n]}"; exit comma == "" }'
