import loader from 'highs'

/** Its types are told as those of CommonJS, where what an import calls the default has a default in turn. */
export const loadSolver = loader as unknown as typeof loader.default
