# Every target installs what is missing first. `make` alone prints this list.
SHELL := /bin/bash
.DEFAULT_GOAL := help
RUN := npm run --silent

.PHONY: help install check fix test

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: node_modules/.package-lock.json ## install the pinned dependencies, Node 24 among them

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

check: install ## types, lint, format
	$(RUN) check

fix: install ## format and mend what the linter can mend
	$(RUN) fix

test: check ## check, then the whole suite; ends with "N passed, N failed"
	$(RUN) test
