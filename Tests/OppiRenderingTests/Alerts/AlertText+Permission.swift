// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension AlertText {
  /// The text of an alert about a tool call.
  init(
    _ alert: Alert,
    request: PermissionRequest,
    isPrivate: Bool,
    clock: (Timestamp) -> String
  ) {
    self.init(alert, request: .permission(request), isPrivate: isPrivate, clock: clock)
  }
}
