// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import Testing

@Suite struct UsageLimitTests {
  /// 2026-11-26T10:00:00Z.
  private static let failure = Timestamp(seconds: 1_795_687_200)

  @Test(
    "a provider's text states a limit and its end",
    arguments: [
      ("You have hit your ChatGPT usage limit (plus plan). Try again in ~47 min.", 47 * 60),
      ("You've hit your usage limit. Try again in 3 days 4 hours and 5 minutes.", 273_900),
      ("Claude AI usage limit reached|1795690800", 3600),
      (#"{"error":{"type":"usage_limit_reached","resets_at":1795690860}}"#, 3660),
      (#"429 {"type":"usage_limit_reached","resets_at": 1795690860000}"#, 3660),
      (#"usage_limit_reached {"resets_in_seconds":8464}"#, 8464),
      (
        "You have exhausted your capacity on this model. Your quota will reset after 42h1m20s.",
        151_280
      ),
      ("429 RESOURCE_EXHAUSTED: please retry in 34.5s.", 34),
      ("Rate limit exceeded, resets at 2026-11-26T12:00:00Z.", 7200),
      ("You've hit your limit · resets 7:30pm (UTC)", 34_200),
      ("5-hour limit reached ∙ resets 9am (UTC)", 82_800),
      ("5-hour limit reached ∙ resets 12am (UTC)", 50_400),
      ("5-hour limit reached ∙ resets 12:30pm (UTC)", 9000),
      // The limit was reached at ten: the reset of today is over.
      ("5-hour limit reached ∙ resets 10am (UTC)", 86_400),
      ("You've hit your limit · resets 19:30 (UTC)", 34_200),
      ("You've hit your limit · resets 0:15 (UTC)", 51_300),
      ("You've hit your limit · resets 7:30pm (Etc/UTC)", 34_200),
      ("You've hit your usage limit. Try again in 60 days.", 5_184_000),
      // A moment is more exact than a time to wait.
      ("usage limit reached|1795690800; try again in 5 min", 3600),
    ] as [(String, Int)]
  )
  func stated(text: String, seconds: Int) throws {
    let limit = try #require(UsageLimit(statedIn: text))
    let reset = try #require(limit.resetAt(after: Self.failure))
    #expect(reset.seconds - Self.failure.seconds == seconds)
  }

  @Test(
    "an end that is not stated, not known here or implausible is not invented",
    arguments: [
      "429 rate_limit_error: please try again later", "You've hit your limit · resets 3pm",
      "You've hit your limit · resets 8pm (America/New_York)", "Error code: 429 insufficient_quota",
      "Claude AI usage limit reached|1000000000", "usage limit reached|99999999999999999999",
      "usage limit; try again in 61 days", "usage limit; try again in 999999999999 hours",
      "usage limit; try again in 5 parsecs", "usage limit; resets 13pm (UTC)",
      "usage limit; resets 7:60pm (UTC)", "usage limit; resets at 2026-13-26T12:00:00Z",
      "usage limit; try again in .", "usage limit reached|",
      "You've hit your limit · resets 7 (UTC)",
    ]
  )
  func unknown(text: String) throws {
    let limit = try #require(UsageLimit(statedIn: text))
    #expect(limit.resetAt(after: Self.failure) == nil)
  }

  @Test(
    "other failures are not usage limits",
    arguments: [
      "529 overloaded_error: the model is overloaded", "context_length_exceeded",
      "Workspace session limit reached (20)", "Subscribe rate limit exceeded — try again later",
      "No API key found for openai-codex.", "port 4290 is in use", "",
    ]
  )
  func others(text: String) { #expect(UsageLimit(statedIn: text) == nil) }

  @Test(
    "the status 429 alone is a limit",
    arguments: [
      "429 slow down", "Error code: 429", "status: 429", "Request failed with status 429",
      "HTTP 429",
    ]
  )
  func status(text: String) { #expect(UsageLimit(statedIn: text) != nil) }

  @Test("only the start of a long text is read")
  func long() {
    let padding = String(repeating: "x", count: 4096)
    #expect(UsageLimit(statedIn: padding + "usage limit reached") == nil)
    #expect(UsageLimit(statedIn: "usage limit reached" + padding) != nil)
  }

  @Test("a reset just before the failure counts, an hour before does not")
  func past() throws {
    let epoch = Self.failure.seconds
    let just = try #require(UsageLimit(statedIn: "usage limit reached|\(epoch - 3600)"))
    #expect(just.resetAt(after: Self.failure)?.seconds == epoch - 3600)
    let stale = try #require(UsageLimit(statedIn: "usage limit reached|\(epoch - 3601)"))
    #expect(stale.resetAt(after: Self.failure) == nil)
  }

  @Test("a failed turn with such a text is limited, in its word and its mark")
  func outcome() {
    #expect(TurnOutcome.failed("usage limit reached").word == "limited")
    #expect(TurnOutcome.failed("no").word == "failed")
    #expect(TurnOutcome.succeeded(answer: "usage limit reached").limit == nil)
  }

  @Test(
    "a limit is stated once, without a time in numbers",
    arguments: [
      ("Claude AI usage limit reached|1795690800", "Claude AI usage limit reached"),
      ("You have hit your usage limit.", "You have hit your usage limit."),
      ("429 rate_limit_error: slow down", "usage limit reached: 429 rate_limit_error: slow down"),
      ("usage limit reached|", "usage limit reached"),
      ("rate limit\n9", "usage limit reached: rate limit 9"),
    ]
  )
  func sentence(text: String, sentence: String) throws {
    let limit = try #require(UsageLimit(statedIn: text))
    #expect(limit.sentence(reset: nil) == sentence)
    #expect(TurnSummary(.failed(text)).failure == limit.statement)
    #expect(limit.sentence(reset: "resets 22:23") == "usage limit reached; resets 22:23")
  }
}
