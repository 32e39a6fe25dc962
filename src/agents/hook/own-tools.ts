const OWN_TOOL =
  /^(?:read_(?:text_|media_|multiple_)?files?|write_file|edit_file|create_directory|list_directory(?:_with_sizes)?|directory_tree|move_file|delete_file|search_files|get_file_info|list_allowed_directories|execute_command|select_active_intent|list_intents|request_scope_expansion|record_lesson|run_checks|show_staged_changes|revert_staged_changes|travel_to_snapshot)$/

/** Whether our MCP server has a tool of this name. Tools of other servers may begin with the same prefix. */
export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name)
}
