// SPDX-License-Identifier: MIT

// `Testing` exists only in builds of tests; a plain `swift build` builds this target, too.
#if canImport(Testing)
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test unless all its programs are installed.
  package static func needs(_ programs: String...) -> Self {
    .enabled(
      if: programs.allSatisfy(has),
      "needs \(programs.joined(separator: ", "))"
    )
  }
}
#endif
