const [major = 0] = process.versions.node.split('.').map(Number)

/** Environment of programs that use `module.register`, as ts-node does. Node 26 warns on stderr that it is deprecated. */
export const WITHOUT_REGISTER_WARNING: NodeJS.ProcessEnv = major >= 26 ? { NODE_NO_WARNINGS: '1' } : {}
