/** Whether the disks of this platform usually take names that differ in case or Unicode form alone for one name. */
export const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'
