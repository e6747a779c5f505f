// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

extension ApprovalMenu {
  /// The menu of a request, in the words of the other commands.
  init(_ row: ListedRequest, in sight: MenuSight?) {
    self.init(
      row,
      title: "\(row.approval.tool), \(row.timeLeft)".safeLine(limit: 40),
      in: sight
    ) { request, columns in
      RequestText.rows(of: request, width: columns).map(\.plain)
    }
  }
}
