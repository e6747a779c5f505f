// SPDX-License-Identifier: MIT

// The module exists only in builds of tests; a plain `swift build` builds this target, too.
#if canImport(Testing)
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test unless all programs that it runs are installed.
  package static func needs(_ programs: String...) -> Self {
    .enabled(
      if: programs.allSatisfy(has),
      "needs \(programs.joined(separator: ", "))"
    )
  }
}
#endif
