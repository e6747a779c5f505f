// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

extension ListedRequest {
  /// A listed tool call.
  init(
    server: PairedServer,
    request: PermissionRequest,
    approval: PendingApproval,
    now: Timestamp
  ) {
    self.init(server: server, request: .permission(request), approval: approval, now: now)
  }
}
