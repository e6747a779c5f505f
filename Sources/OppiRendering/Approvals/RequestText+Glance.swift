// SPDX-License-Identifier: MIT

package import OppiModel

/// A request where a person only glances at it: in a notification, or in a menu.
extension RequestText {
  /// All that a call would do, safe to show, if it can be read at a glance; `nil` otherwise.
  package static func glance(of request: PermissionRequest) -> [String]? {
    guard request.isWhole else { return nil }
    let tool = RevealedText(request.tool).line
    let lines = body(of: request).map(\.plain)
    guard
      ApprovalPolicy.fitsGlance(tool: tool, lines: lines, hiddenCount: hiddenCount(of: request))
    else { return nil }
    return ["\(tool), proposed, not yet run:"] + lines
  }
}
