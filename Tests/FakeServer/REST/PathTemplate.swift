// SPDX-License-Identifier: MIT

/// A path with parameters, such as `/workspaces/:ws/sessions`.
struct PathTemplate: Sendable {
  private let components: [Substring]

  init(_ text: String) {
    components = Self.split(text[...])
  }

  /// Returns the parameters; `nil` if the path does not match.
  func match(_ path: some StringProtocol) -> [String: String]? {
    let parts = Self.split(Substring(path))
    guard parts.count == components.count else { return nil }
    var parameters: [String: String] = [:]
    for (component, part) in zip(components, parts) {
      if component.hasPrefix(":"), !part.isEmpty {
        parameters[String(component.dropFirst())] = String(part)
      } else if component != part {
        return nil
      }
    }
    return parameters
  }

  /// Keeps empty components: a trailing slash is significant.
  private static func split(_ path: Substring) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }
}
