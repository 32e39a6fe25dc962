import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../src/agents/roo/index.js'
import { classifyTool, KNOWN_TOOLS, parsePatch, toolCatalogue } from '../../src/hooks/index.js'
import { fakeSession } from '../agents/roo/fake-session.js'

const catalogue = toolCatalogue()
const writes = (tool: string, args: Record<string, unknown>) => catalogue.of(tool).writes(args)

/** The tools of Roo Code 3.52, as `@roo-code/types` 1.115.0 names them. */
const ROO =
  `execute_command read_file read_command_output write_to_file apply_diff edit search_and_replace search_replace
  edit_file apply_patch search_files list_files use_mcp_tool access_mcp_resource ask_followup_question
  attempt_completion switch_mode new_task codebase_search update_todo_list run_slash_command skill generate_image
  custom_tool`.split(/\s+/)

describe('the tool catalogue', () => {
  it('knows all 24 tools of Roo Code 3.52 and their classes', () => {
    expect(ROO).toHaveLength(24)
    expect(ROO.filter((name) => !KNOWN_TOOLS.includes(name))).toEqual([])
    const destructive = ROO.filter((name) => classifyTool(name) === 'DESTRUCTIVE')
    expect(destructive.sort().join(' ')).toBe(
      'apply_diff apply_patch custom_tool edit edit_file execute_command generate_image search_and_replace ' +
        'search_replace use_mcp_tool write_to_file',
    )
  })

  it('knows every tool that escrowfs adds', () => {
    const { names } = createRooTools(fakeSession().session)
    expect(names.filter((name) => !KNOWN_TOOLS.includes(name))).toEqual([])
  })

  it.each(['mcp--files--write_file', 'rm_rf', '', 'constructor', '__proto__', 'READ_FILE'])(
    'treats the unknown tool %j as destructive',
    (name) => {
      expect(classifyTool(name)).toBe('DESTRUCTIVE')
      expect(writes(name, { path: 'a.ts' })).toEqual([])
    },
  )

  it('lets host settings classify an unknown tool, and no other', () => {
    const catalogue = toolCatalogue({ 'mcp--docs--search': 'read', execute_command: 'unknown' })
    expect(catalogue.classify('mcp--docs--search')).toBe('SAFE')
    expect(catalogue.classify('execute_command')).toBe('DESTRUCTIVE')
    expect(catalogue.classify('mcp--docs--write')).toBe('DESTRUCTIVE')
  })

  it.each([
    ['write_to_file', { path: 'a.ts', content: '' }, ['a.ts']],
    ['edit_file', { file_path: 'a.ts' }, ['a.ts']],
    ['edit', { file_path: 'a.ts', path: '../b.ts' }, ['../b.ts', 'a.ts']],
    ['apply_diff', { path: ['a.ts'] }, []],
    ['generate_image', { path: 'img/a' }, ['img/a.png', 'img/a.jpg', 'img/a.jpeg']],
    ['generate_image', { path: 'img/a.PNG', image: 'src/b.png' }, ['img/a.PNG']],
    ['execute_command', { command: 'rm -rf .', cwd: '/' }, []],
    ['read_file', { path: 'a.ts' }, []],
  ])('%s of %j changes %j', (tool, args, paths) => {
    expect(writes(tool, args).map(({ path }) => path)).toEqual(paths)
  })

  it('names the files that read_file shows, in each of its forms', () => {
    const reads = (args: Record<string, unknown>) => catalogue.of('read_file').reads(args)
    expect(reads({ path: 'a.ts' })).toEqual(['a.ts'])
    expect(reads({ files: [{ path: 'a.ts', line_ranges: [[1, 2]] }, 'b.ts', null, { path: 3 }] })).toEqual([
      'a.ts',
      'b.ts',
    ])
    expect(reads({ files: 'a.ts' })).toEqual([])
  })
})

describe('the paths of a patch', () => {
  it('trap: parses an indented header and a Move to as the host does', () => {
    const patch = '*** Begin Patch\n  *** Update File:  src/a.ts \n*** Move to: out/b.ts\n@@\n-a\n+b\n*** End Patch'
    expect(writes('apply_patch', { patch })).toEqual([
      { path: 'src/a.ts', effect: 'move' },
      { path: 'out/b.ts', effect: 'put' },
    ])
  })

  it('treats a header among the lines of a chunk as text of the file', () => {
    const patch = '*** Begin Patch\n*** Update File: a.md\n@@\n *** Delete File: b.ts\n-x\n+y\n*** End Patch'
    expect(writes('apply_patch', { patch })).toEqual([{ path: 'a.md', effect: 'put' }])
  })

  it('names every path that a lenient parser could find in an invalid patch', () => {
    const patch = 'oops\n  *** Update File: a.ts\nrubbish\n*** Move to: b.ts\n*** Delete File: c.ts\n*** Add File:'
    expect(() => parsePatch(patch)).toThrow(/must begin/)
    expect(writes('apply_patch', { patch }).map(({ path }) => path)).toEqual(['a.ts', 'b.ts', 'c.ts'])
  })

  it('judges every operation header of any patch', () => {
    const line = fc.oneof(
      fc.constantFrom('*** Begin Patch', '*** End Patch', '@@', '+x', '-y', ' z', ''),
      fc
        .tuple(fc.constantFrom('', ' ', '\t'), fc.constantFrom('Add', 'Update', 'Delete'), fc.constantFrom('a', 'b'))
        .map(([indent, kind, path]) => `${indent}*** ${kind} File: ${path}`),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const patch = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
        const judged = new Set(writes('apply_patch', { patch }).map(({ path }) => path))
        let operations: readonly { readonly path: string }[] = []
        try {
          operations = parsePatch(patch)
        } catch {}
        expect(operations.filter(({ path }) => !judged.has(path))).toEqual([])
      }),
    )
  })
})
