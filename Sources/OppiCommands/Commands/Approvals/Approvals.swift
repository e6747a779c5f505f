// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi approvals`: what waits for the user's word, and what was decided.
enum Approvals {
  static let command: Command = Command(
    "approvals",
    "Show pending approvals and past decisions",
    group: Group.watching,
    defaultSubcommand: "list",
    subcommands: [ApprovalsList.command, ApprovalsShow.command, ApprovalsLog.command]
  )
}
