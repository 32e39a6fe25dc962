/** Said where intents or rules are listed and some of them wait for a person. */
export const WAITING =
  "Files in .orchestration allow more than you have accepted on this machine. Review them with 'escrow trust'."
