/** The version of the classifier. Raise it with each change that can give the same two contents another class. */
export const CLASSIFIER = 3
