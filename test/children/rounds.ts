export const FILES = ['src/one.txt', 'src/two.txt', 'src/deep/three.txt', 'src/deep/four.txt']
