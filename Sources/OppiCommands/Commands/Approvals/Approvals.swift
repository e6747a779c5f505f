// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi approvals`: what waits for the user's word, and what was decided.
enum Approvals {
  static let command: Command = Command(
    "approvals",
    "Show what waits for approval, and what was decided",
    group: Group.watching,
    defaultSubcommand: "list",
    subcommands: [ApprovalsList.command, ApprovalsShow.command, ApprovalsLog.command]
  )
}
