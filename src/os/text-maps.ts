import { z } from 'zod'

/** Files of ours that map names to texts. */

export const textMap = z.record(z.string(), z.string())
export const textListMap = z.record(z.string(), z.array(z.string()))
