import { describe, expect, it } from 'vitest'
import type { CheckReport } from '../../src/index.js'
import { cli } from './harness.js'
