"""Words for dates that are not given."""

from demur.programs.text.dates import DatePrecision, find_dates


def date_noun(text: str) -> str:
    """Return 'year', 'date', 'month', 'decade', 'century' or 'season' for how precisely a date is written."""
    dates = find_dates(text)
    if len(dates) != 1:
        return "period" if dates else "date"
    return {
        DatePrecision.DAY: "date",
        DatePrecision.MONTH_DAY: "date",
        DatePrecision.MONTH: "month",
        DatePrecision.YEAR: "year",
        DatePrecision.SEASON: "season",
        DatePrecision.DECADE: "decade",
        DatePrecision.CENTURY: "century",
    }[dates[0].precision]
