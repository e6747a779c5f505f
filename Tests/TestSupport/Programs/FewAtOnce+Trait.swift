// SPDX-License-Identifier: MIT

// `Testing` exists only in builds of tests; a plain `swift build` builds this target, too.
#if canImport(Testing)
package import Testing

extension FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.perform(function)
  }
}

extension Trait where Self == FewAtOnce {
  package static var fewAtOnce: Self { Self() }
}
#endif
