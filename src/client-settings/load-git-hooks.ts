/** Loads what enters git hooks, which few commands need. */
export const gitHooks = () => import('./git-hooks.js')
