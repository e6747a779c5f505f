// SPDX-License-Identifier: MIT

import Glibc

/// A set of signals, with operations on the calling thread's mask and pending signals.
package struct SignalSet: Sendable {
  private let signals: [Int32]

  package init(_ signals: [Int32]) {
    self.signals = signals
  }

  package var isPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0) == 1 }
  }

  /// Removes and returns a pending signal; `nil` if there is none.
  package func takePending() -> Int32? {
    var (set, immediately) = (set, timespec())
    let signal = sigtimedwait(&set, nil, &immediately)
    return signal > 0 ? signal : nil
  }

  /// Removes all pending signals; returns whether there were any.
  @discardableResult
  package func discardPending() -> Bool {
    guard takePending() != nil else { return false }
    while takePending() != nil {}
    return true
  }

  package var blocked: SignalSet {
    var mask = sigset_t()
    sigprocmask(SIG_BLOCK, nil, &mask)
    return SignalSet(signals.filter { sigismember(&mask, $0) == 1 })
  }

  package func subtracting(_ other: SignalSet) -> SignalSet {
    SignalSet(signals.filter { !other.signals.contains($0) })
  }

  package func block() {
    var set = set
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  package func unblock() {
    var set = set
    sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  package func whileUnblocked<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withMask(SIG_UNBLOCK, body)
  }

  package func whileBlocked<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withMask(SIG_BLOCK, body)
  }

  private func withMask<Result, Failure>(
    _ change: Int32,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var (set, previous) = (set, sigset_t())
    sigprocmask(change, &set, &previous)
    defer { sigprocmask(SIG_SETMASK, &previous, nil) }
    return try body()
  }

  private var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
