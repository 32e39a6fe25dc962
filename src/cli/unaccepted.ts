/** Printed below lists of intents or rules if some are not accepted yet. */
export const UNACCEPTED_FILES =
  "Files in .orchestration allow more than you have accepted on this machine. Review them with 'escrow trust'."
