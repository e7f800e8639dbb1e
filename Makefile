# Every target installs what is missing first. `make` alone prints this list.
SHELL := /bin/bash
.DEFAULT_GOAL := help
RUN := npm run --silent
IMAGE_TAG := $(or $(TAG),latest)
BUILD_IMAGE := DOCKER_BUILDKIT=0 docker build --quiet --network host
# Another name for an image of others: NODE_IMAGE=node:24-bookworm-slim, where no registry answers for its digest.
BASE = $(if $($(1)),--build-arg $(1)=$($(1)))

.PHONY: help install check check-code check-contracts fix test services contracts console package lab lab-up lab-down proof proof-short bench docker-images docker-push docker-lab docker-test docker-proof clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: node_modules/.package-lock.json ## install the pinned dependencies, Node 24 among them

node_modules/.package-lock.json: package-lock.json
	@echo "installing dependencies (about a minute)"
	@npm ci --ignore-scripts --loglevel=error
	@node fixtures/package/installNode.mjs # the binary of the one package that would fetch it by a script, unchecked
	@touch $@

CONSOLE := gateway/console/dist/index.html
console: $(CONSOLE) ## build the page of the operators' listener, where its sources have changed

$(CONSOLE): node_modules/.package-lock.json $(shell find gateway/console/page gateway/client -type f)
	@node_modules/.bin/node fixtures/package/makeConsole.ts

lab: install console ## run the lab in the foreground; Ctrl-C stops everything; PACK=file for a fork pack, STATE=dir to keep it
	@FORKYARD_PACK="$(or $(PACK),$(FORKYARD_PACK))" FORKYARD_STATE="$(or $(STATE),$(FORKYARD_STATE))" $(RUN) lab

lab-up: install console ## start the lab in the background; returns when it is ready
	@FORKYARD_PACK="$(or $(PACK),$(FORKYARD_PACK))" FORKYARD_STATE="$(or $(STATE),$(FORKYARD_STATE))" $(RUN) lab-up

lab-down: install ## stop the lab
	@$(RUN) lab-down

check: install ## types, lint, format, generated files up to date
	@$(MAKE) --no-print-directory -j2 check-code check-contracts

check-code:
	@$(RUN) check:code

check-contracts:
	@$(RUN) contracts:check

fix: install ## format, mend what the linter can mend
	@$(RUN) fix

services: ## install the servers that some tests start (PostgreSQL, Redis, Chromium)
	@fixtures/installServices.sh

contracts: install ## compile the contracts and write contracts/artifacts.ts
	@$(RUN) contracts:build

package: install ## pack forkyard and forkyard-world into dist/; publishes nothing
	@$(RUN) package

test: check services ## check, contract tests, the whole suite; ends with "N passed, N failed"
	@$(RUN) test

proof: install services ## the long proofs: fuzz, faults, load (hours); writes their figures to BENCHMARKS.md
	@$(RUN) proof

proof-short: install services ## the short forms of all proofs, as CI runs them (under 20 minutes)
	@$(RUN) proof:short

bench: install ## benchmarks; figures of record stand in BENCHMARKS.md
	@$(RUN) bench

docker-images: console ## build the images: gateway and supervisor, backups, lab, proxy, one anvil; IMAGE_PREFIX, TAG
	@$(BUILD_IMAGE) $(call BASE,NODE_IMAGE) -f docker/anvil.Dockerfile -t $(IMAGE_PREFIX)forkyard-anvil:$(IMAGE_TAG) .
	@$(BUILD_IMAGE) $(call BASE,NODE_IMAGE) -f docker/Dockerfile -t $(IMAGE_PREFIX)forkyard:$(IMAGE_TAG) .
	@$(BUILD_IMAGE) $(call BASE,POSTGRES_IMAGE) --build-arg GATEWAY_IMAGE=$(IMAGE_PREFIX)forkyard:$(IMAGE_TAG) -f docker/backups.Dockerfile -t $(IMAGE_PREFIX)forkyard-backups:$(IMAGE_TAG) .
	@$(BUILD_IMAGE) $(call BASE,NODE_IMAGE) -f docker/lab.Dockerfile -t forkyard-lab .
	@$(BUILD_IMAGE) $(call BASE,DEBIAN_IMAGE) -f docker/proxy.Dockerfile -t $(IMAGE_PREFIX)forkyard-proxy:$(IMAGE_TAG) .

docker-push: ## give a swarm the images of production: IMAGE_PREFIX=registry.example.org/ TAG=1
	@for image in forkyard forkyard-anvil forkyard-backups forkyard-proxy; do docker push "$(IMAGE_PREFIX)$$image:$(IMAGE_TAG)" || exit 1; done

docker-test: install docker-images ## tests that need a Docker engine: forks in containers, the compose stacks
	@$(RUN) test -- '**/*.docker.ts'

docker-proof: install docker-images ## the longer ones: forked labs, monitoring by a real Prometheus
	@$(RUN) test -- '**/*.docker.long.ts'

docker-lab: ## run the same lab in containers, in the foreground
	@docker/lab.sh

clean: ## stop the lab, drop caches and dependencies
	@[ ! -d node_modules ] || $(RUN) lab-down
	rm -rf .cache dist gateway/console/dist node_modules
