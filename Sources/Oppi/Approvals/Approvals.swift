// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi approvals`: pending approvals and dialogs, and past decisions.
enum Approvals {
  static let command: Command = Command(
    "approvals",
    "Show pending approvals and past decisions",
    group: Group.watching,
    defaultSubcommand: "list",
    subcommands: [ApprovalsList.command, ApprovalsShow.command, ApprovalsLog.command]
  )
}
