// SPDX-License-Identifier: MIT

/// Lets only a few tests of real programs and servers be at work at a time.
///
/// All tests of a run would start at once, and a hundred programs at work slow each other down until
/// their own deadlines pass. Every suite that runs programs has it: ``Executable`` refuses to run
/// one outside of it.
package struct FewAtOnce: Sendable {
  @TaskLocal static var isInside = false

  package let isRecursive = true

  /// Waits for a place and performs a test in it.
  static func perform(
    _ function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await Places.all.take()
    let result: Result<Void, any Error>
    do {
      try await $isInside.withValue(true) { try await inTime(function) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await Places.all.giveBack()
    try result.get()
  }
}

extension FewAtOnce {
  /// Lets a test run to its end; one that does not end is cancelled, and with it all that it waits
  /// for.
  private static func inTime(
    _ function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await function() }
        group.addTask {
          let limit = Duration.testLimit
          try await Task.sleep(for: limit)
          throw OutOfTime(after: limit)
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
}

/// The places of the tests that may be at work; who finds none waits, first come, first served.
private actor Places {
  static let all = Places()

  /// What a sanitizer slows down takes a core for itself.
  private var free = Executable.sanitizers.isEmpty ? 8 : 4
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func giveBack() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
