package advice
