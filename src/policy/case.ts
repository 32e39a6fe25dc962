/** Whether file systems of this platform usually ignore case and Unicode normalization in names. */
export const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'
