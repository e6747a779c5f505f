// SPDX-License-Identifier: MIT

package import OppiModel

/// What of a request may be decided where a person only glances at it: in a notification, or in a
/// menu.
extension RequestText {
  /// A longer call may be cut by a desktop, which shows few lines of a text at first.
  private static let glanceLineLimit = 3
  private static let glanceCharacterLimit = 160

  /// All that a call would do, safe to show, where that is short, of plain ASCII, and nothing of it is
  /// hidden; `nil` otherwise.
  ///
  /// Whoever draws other letters may take more room for them than is reckoned here, or another order,
  /// so that a part of the call is not seen as it is.
  package static func glance(of request: PermissionRequest) -> [String]? {
    guard request.isWhole, warnings(of: request).isEmpty else { return nil }
    let lines = body(of: request).map(\.plain)
    let size = lines.reduce(0) { $0 + $1.count }
    guard lines.count <= glanceLineLimit, size <= glanceCharacterLimit,
      lines.contains(where: { !$0.isEmpty })
    else { return nil }
    let tool = RevealedText(request.tool).line
    guard ([tool] + lines).allSatisfy(\.isPlainASCII) else { return nil }
    return ["\(tool), proposed, not yet run:"] + lines
  }

  /// Whether a request may be approved there: all of it is seen, and its risk is not high.
  package static func canBeApprovedAtAGlance(_ request: PermissionRequest) -> Bool {
    glance(of: request) != nil && !request.risk.isHigh
  }
}

extension String {
  /// Whether each character is one of those that are as wide as any other, and read from the left.
  fileprivate var isPlainASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
