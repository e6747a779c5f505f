// SPDX-License-Identifier: MIT

/// A path with named places, such as `/workspaces/:ws/sessions`.
struct PathTemplate: Sendable {
  private let components: [Substring]

  init(_ text: String) {
    components = Self.split(text[...])
  }

  /// Returns what stands in the named places; `nil` where the path is another.
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

  /// Empty components count: a trailing slash makes another path.
  private static func split(_ path: Substring) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }
}
