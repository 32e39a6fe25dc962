/** Loads the code that adds git hooks, which few commands need. */
export const gitHooks = () => import('./git-hooks.js')
