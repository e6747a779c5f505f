// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The chat with a session inside the menu.
struct MenuChat: Sendable {
  let id: BoardSession.ID
  /// `nil` until the chat is open.
  var lines: ChatLines?

  init(_ id: BoardSession.ID) { self.id = id }

  var isUnsettled: Bool { lines?.state.isUnsettled ?? false }
}
