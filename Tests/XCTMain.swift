// SPDX-License-Identifier: MIT

import Testing

/// Runs the tests, all of which are Swift Testing's.
///
/// SwiftPM would generate a runner that also looks for tests of XCTest, for which it needs an index of
/// all sources.
@main
struct TestRunner {
  static func main() async {
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
