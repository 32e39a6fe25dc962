import { z } from 'zod'
import { defineTool } from './tool.js'

const schema = z.object({ intent_id: z.string().min(1).nullable() })

/** `select_active_intent`: answers with the intent's context; null clears the intent. */
export const selectActiveIntent = defineTool('select_active_intent', schema, (args) => async (session) => {
  return (await session.selectIntent(args.intent_id)).xml
})
