/** Said where intents or rules are listed and some of them wait for a person. */
export const WAITING = "The files in .orchestration ask for more than you have accepted on this machine: 'escrow trust'"
