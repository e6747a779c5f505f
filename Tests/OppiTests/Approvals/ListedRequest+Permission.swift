// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

@testable import Oppi

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

extension WatchDesktop {
  /// The notification of a tool call.
  mutating func notification(
    of alert: Alert,
    _ text: AlertText,
    _ request: PermissionRequest,
    at now: Duration
  ) -> DesktopNotification {
    notification(of: alert, text, .permission(request), at: now)
  }
}
